"""JsonLogic."""
