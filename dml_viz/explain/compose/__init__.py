"""The room of the page that composes figures."""
