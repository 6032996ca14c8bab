"""Print the lowest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib

with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
extras = project["optional-dependencies"]
for requirement in dict.fromkeys([*project["dependencies"], *extras["test"]]):
    name, version = re.fullmatch(r"([\w.-]+)>=([\d.]+)(?:,<[\d.]+)?", requirement).groups()
    print(f"{name}=={version}")
