"""`leftbower play`: a match at a text prompt."""
