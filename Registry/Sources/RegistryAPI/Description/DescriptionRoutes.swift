import Hummingbird

/// Routes of Description.
enum DescriptionRoutes {
  /// Adds them.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {}
}
