"""What happens in a hall between draws and scores: hands reported, calls for the director, the clock."""
