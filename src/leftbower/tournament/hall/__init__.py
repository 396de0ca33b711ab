"""The hall between draws and scores: reported hands, director calls, the round clock."""
