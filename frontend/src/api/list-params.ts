// Parameters and paging of list requests that the OpenAPI description does not name.

export type BoardWindow = "all" | "24h" | "7d" | "30d" | "patch";
export type SortOrder = "asc" | "desc";
export type ActivityFilter = "pve" | "pvp" | "vehicles" | "missions";

/** A response has either `page` or `offset`. */
export interface Pagination {
  page?: number;
  limit: number;
  offset?: number;
  total: number;
  hasNextPage?: boolean;
}
