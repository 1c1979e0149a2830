/** What a table shows, for those who do not see what stands around it. */
export const Caption = ({ children }: { children: string }) => (
  <caption>
    <span className="visually-hidden">{children}</span>
  </caption>
)
