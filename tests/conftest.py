"""What all tests share: none of them asks how long something takes."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
settings.load_profile("untimed")
