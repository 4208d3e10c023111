"""Values of an adapter's options, which arrive as text."""


def boolean(options, name):
    """Returns whether an option is "true"; any other text than that and "false" is an error."""
    if options[name] not in ("true", "false"):
        raise ValueError(f'option {name}: "{options[name]}" is neither true nor false')
    return options[name] == "true"


def number(options, name):
    """Returns the value of an option that is a whole number, 0 or more."""
    if not options[name].isdecimal():
        raise ValueError(f'option {name}: "{options[name]}" is no whole number')
    return int(options[name])
