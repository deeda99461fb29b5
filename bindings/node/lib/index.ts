/** Wellhead: serves an application's resources to MCP clients. */
export { Connection } from './connection.js';
export {
  ClosedError,
  type ErrorCode,
  LimitError,
  PermissionDenied,
  RegistrationError,
  ResourceNotFound,
  WellheadError,
} from './errors.js';
export { type Fixed, type ResourceOptions, Server } from './server.js';
export type { Vars } from './template.js';
export type {
  Annotations,
  Body,
  Call,
  Contents,
  Descriptor,
  Icon,
  Limits,
  ListCall,
  Lister,
  LogLevel,
  Meta,
  Page,
  PageRequest,
  Reader,
  Resource,
  ResourceDescriptor,
  RunOptions,
  ServerOptions,
} from './values.js';
