"""Where the catalog lives: git, and the servers that hold repositories and show reviews."""
