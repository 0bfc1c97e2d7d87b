"""A local page: one person's advice, live; the models; the price of lasting; promises."""
