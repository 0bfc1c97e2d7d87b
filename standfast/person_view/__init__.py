"""One person on a page: their facts as JSON, and the component that draws them in a browser."""
