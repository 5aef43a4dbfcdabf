package let commandVersion = "0.1.0"
