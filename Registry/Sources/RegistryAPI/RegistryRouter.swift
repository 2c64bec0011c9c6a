import Hummingbird

/// The whole interface: the middleware and the routes.
public enum RegistryRouter {
  /// The prefix of all paths except health, readiness and metrics.
  public static let prefix = "/api/v1"

  /// Makes the router.
  public static func make(_ registry: Registry) -> Router<RegistryContext> {
    let router = Router(context: RegistryContext.self, options: [.autoGenerateHeadEndpoints])
    // Order matters: the first middleware gets every request first and every answer last.
    OperationRoutes.addMiddleware(to: router, registry)
    let routeGuard = RouteGuard()
    router.add(middleware: routeGuard)
    OperationRoutes.add(to: router, registry)
    let api = router.group(RouterPath(prefix))
    AuthRoutes.add(to: api, registry)
    ProfileRoutes.add(to: api, registry)
    ContentRoutes.add(to: api, registry)
    DescriptionRoutes.add(to: router, registry)
    routeGuard.learn(router.routes.map { ($0.path.description, $0.method) })
    return router
  }
}
