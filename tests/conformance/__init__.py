"""A suite that draws questions: an integer seed gives a graph, a measure and its options.

`drawing` draws a `Question`, `truth` answers it from the definitions, `verdict` asks a device,
describes errors of the answer, and shrinks the question. `meter` counts the kernels that ran, and
`runner` asks many questions in many processes.
"""
