"""The server: one app for all systems, its settings, its process and its log."""
