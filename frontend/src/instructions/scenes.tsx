/** Small pictures for the examples: simple shapes on 120 x 80. */

const Ground = () => (
  <>
    <path class="sky" d="M0 0h120v80H0z" />
    <path class="grass" d="M0 60h120v20H0z" />
  </>
);

const Person = ({ x, shirt = "blue", size = 1 }: { x: number; shirt?: string; size?: number }) => (
  <g transform={`translate(${x} 70) scale(${size})`}>
    <path class="dark" d="M-8-20h7v20h-7zM1-20h7v20H1z" />
    <rect class={shirt} x="-10" y="-42" width="20" height="24" rx="5" />
    <circle class="skin" cy="-50" r="8" />
  </g>
);

const Dog = ({ x, coat }: { x: number; coat: string }) => (
  <g class={coat} transform={`translate(${x} 50)`}>
    <rect width="26" height="12" rx="5" />
    <path d="M2 10h4v12H2zM20 10h4v12h-4zM-5-9l3 11 5-2z" />
    <circle cx="29" cy="-2" r="7" />
    <path d="m26-12 6 4-7 3z" />
  </g>
);

export const ManInHat = () => (
  <>
    <Ground />
    <Person x={60} />
    <path class="red" d="M48 14h24v4H48zM53 5h14v10H53z" />
  </>
);

export const TwoDogs = () => (
  <>
    <Ground />
    <Dog x={18} coat="brown" />
    <Dog x={70} coat="pale" />
  </>
);

export const Street = () => (
  <>
    <path class="sky" d="M0 0h120v80H0z" />
    <path class="brown" d="M0 18h30v40H0zM84 12h36v46H84z" />
    <path class="pale" d="M32 28h24v30H32z" />
    <path class="pale" d="M6 24h7v9H6zm11 0h7v9h-7zM92 20h8v10h-8zm13 0h8v10h-8z" />
    <path class="stone" d="M0 58h120v22H0z" />
    <path class="pale" d="M8 68h18v2H8zm32 0h18v2H40zm32 0h18v2H72z" />
    <Person x={68} shirt="red" size={0.6} />
  </>
);

export const Crowd = () => (
  <>
    <Ground />
    {[14, 26, 38, 50, 62, 74, 86, 98, 106].map((x, i) => (
      <Person x={x} shirt={["blue", "red", "stone"][i % 3] ?? "blue"} size={i % 2 ? 0.62 : 0.7} />
    ))}
  </>
);
