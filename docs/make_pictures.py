"""Make the README's pictures with the program itself: ``make pictures``."""

import os
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_SCALE_FACTOR"] = "1.5"

from mhagui.document import load_lesson
from mhagui.gui.application import make_application
from mhagui.gui.main_window import MainWindow
from mhagui.gui.theme import ThemeChoice, apply_theme

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """Write one picture of the window for each theme."""
    PICTURES.mkdir(exist_ok=True)
    app = make_application()
    window = MainWindow(load_lesson("four-heads"))
    window.show()
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        apply_theme(choice)
        for _ in range(5):
            app.processEvents()
        path = PICTURES / f"window-{choice.name.lower()}.png"
        window.grab().save(str(path))
        print(path)
    window.close()


if __name__ == "__main__":
    main()
