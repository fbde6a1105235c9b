"""The room of the page proxies."""
