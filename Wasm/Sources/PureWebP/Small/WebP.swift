/// In place of the library's interface, which is in WebP.swift and others: this module's is in Session.swift.
public enum WebP {}
