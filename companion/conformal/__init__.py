"""What the conformal transformations of the thesis are made of: factors and separability."""
