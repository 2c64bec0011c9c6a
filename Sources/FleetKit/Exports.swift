@_exported import Configuration
@_exported import Doctor
@_exported import FleetKitCore
@_exported import Merging
@_exported import Migration
@_exported import Reports
@_exported import Validation
