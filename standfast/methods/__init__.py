"""recommend(), and the methods it can be given."""

from standfast.methods.growing_spheres import GrowingSpheres
from standfast.methods.method import Answers, Limits, Method
from standfast.methods.recommend import recommend

__all__ = ["Answers", "GrowingSpheres", "Limits", "Method", "recommend"]
