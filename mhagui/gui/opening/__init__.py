"""Opening files of real tensors and models in the window: what is asked, shown and proven."""
