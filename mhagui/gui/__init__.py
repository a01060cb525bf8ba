"""Everything Qt: the application, its window, docks and widgets."""
