// The server's OpenAPI description, reduced to what the documentation page shows. Keys: `["openapi"]`.
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";

export interface ApiParameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  schema?: {
    type?: string | string[];
    enum?: (string | number)[];
    default?: unknown;
    minimum?: number;
    maximum?: number;
  };
}

export interface ApiOperation {
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: ApiParameter[];
  requestBody?: unknown;
}

interface OpenApiDocument {
  paths?: Record<string, Record<string, ApiOperation>>;
}

export interface ApiRoute extends ApiOperation {
  method: string;
  path: string;
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Returns all routes in the order of the description. */
export const routesQuery = () =>
  queryOptions({
    queryKey: ["openapi"],
    queryFn: async ({ signal }): Promise<ApiRoute[]> => {
      const { paths = {} } = await call<OpenApiDocument>("/api/openapi.json", { signal, auth: false });
      return Object.entries(paths).flatMap(([path, methods]) =>
        METHODS.flatMap((method) => {
          const operation = methods[method];
          return operation ? [{ ...operation, method: method.toUpperCase(), path }] : [];
        }),
      );
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
