import { testRoutes } from "./routes-check.mjs";

await testRoutes("phone");
