"""What reviewers ask of a change: which rows it gains and loses, with a proof; who is affected; whether it
is tested.
"""
