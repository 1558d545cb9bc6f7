import { testStates } from "./ui-states-check.mjs";

await testStates("moderation");
