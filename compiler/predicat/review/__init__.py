"""Reviews of changes: which rows a filter gains and loses, with a proof; who is affected; whether it is
tested.
"""
