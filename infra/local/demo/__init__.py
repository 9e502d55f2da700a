"""A whole match told as it goes: scripted players with real keys, over HTTP.

GAME=liars-dice|almost-even|crossed-coordinates LOCALE=en|es [URL=...] python -m infra.local.demo
"""
