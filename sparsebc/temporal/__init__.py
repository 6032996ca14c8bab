"""Networks in time: who reaches whom by contacts one after the other, and by way of whom."""

from .contacts import Contacts

__all__ = ["Contacts"]
