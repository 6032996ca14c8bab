"""Drawn questions: `drawing` draws one, `truth` answers it from the definitions.

`verdict` asks a device and describes errors of the answer; `meter` notes the kernels that ran.
"""
