// The career of a player. The server names this file in the head of `/player/{handle}` if the career is the first tab.
export { default } from "../features/players/career-tab";
