"""Pages of seasons: the organizer's and the one for players."""
