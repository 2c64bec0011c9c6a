import Hummingbird

/// The whole interface: middleware around it, routes in it.
public enum RegistryRouter {
  /// The prefix of everything but health, readiness and metrics.
  public static let prefix = "/api/v1"

  /// Makes the router.
  public static func make(_ registry: Registry) -> Router<RegistryContext> {
    let router = Router(context: RegistryContext.self)
    // Order matters: the first one sees every request first and every answer last.
    OperationRoutes.addMiddleware(to: router, registry)
    OperationRoutes.add(to: router, registry)
    let api = router.group(RouterPath(prefix))
    AuthRoutes.add(to: api, registry)
    ContentRoutes.add(to: api, registry)
    DescriptionRoutes.add(to: api, registry)
    return router
  }
}
