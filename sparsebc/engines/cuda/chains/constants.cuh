// The constant that the launcher knows too: `layout.py` reads it here.
#pragma once

constexpr int TABLE = 128;  // nodes of chains whose targets are added up at once
