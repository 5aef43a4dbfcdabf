/// The namespace of the module's types. Session.swift has the module's interface.
public enum WebP {}
