"""A suite that draws questions: one whole number is one graph with one way of asking about it.

`drawing` draws a `Question`, `truth` answers it from the definitions, `verdict` puts it to a device
and tells what is wrong with the answer, and makes the question smaller. `meter` counts the kernels
that ran, and `runner` asks many questions in many processes.
"""
