"""The pure core: rooms, matches, deadlines and draws. Knows no game, no clock and no AWS."""
