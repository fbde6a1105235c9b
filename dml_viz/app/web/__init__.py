"""The server of the app: refused requests, headers, and routes beside the pages."""
