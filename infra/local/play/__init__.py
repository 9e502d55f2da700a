"""A terminal client: a person opens or joins a room and plays any of the three games.

URL=http://127.0.0.1:8000 LOCALE=en|es PLAY_HOME=~/.sobremesa python -m infra.local.play

It keeps the rules of a client that loses nothing: its key and every request that has no answer yet
are on disk before anything is sent (`home`), a request is repeated under its own key until it is
answered (`session`), and it polls as often as the server says. What is shown is a pure function of
the view (`screen` and a module for each game), what is typed becomes a request in `commands`.
"""
