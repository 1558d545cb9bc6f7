import { useState } from "react";
import { RouterProvider } from "react-router";
import { DataProvider } from "../features/live/data-provider";
import { newRouter } from "./router";

export function App() {
  const [router] = useState(newRouter);
  return (
    <DataProvider>
      <RouterProvider router={router} />
    </DataProvider>
  );
}
