import Hummingbird

/// Routes of Content.
enum ContentRoutes {
  /// Adds them.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {}
}
