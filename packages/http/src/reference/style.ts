/** Small, readable, dark where the reader's system is dark. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6475;--line:#e2e6ee;--ground:#fff;--panel:#f6f8fb;--accent:#2456c8}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9f0;--soft:#9aa5b8;--line:#2b3345;--ground:#12161f;--panel:#1a202c;--accent:#8ab0ff}}
*{box-sizing:border-box}html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;display:grid;grid-template-columns:17rem minmax(0,1fr);color:var(--ink);background:var(--ground);font:15px/1.55 system-ui,sans-serif}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1.25rem;background:var(--panel);border-right:1px solid var(--line)}
nav .brand{font-weight:700;font-size:1.15rem;color:var(--ink)}nav h2{margin:1.4rem 0 .3rem;font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft)}
nav ul{margin:0;padding:0;list-style:none}nav li a{display:block;padding:.15rem 0;color:var(--ink)}
a{color:var(--accent);text-decoration:none}a:hover,a:focus-visible{text-decoration:underline}
main{padding:2rem 3rem 6rem;max-width:62rem}h1{margin:0 0 .5rem;font-size:2rem}section>h2{margin:3rem 0 0;padding-bottom:.4rem;border-bottom:2px solid var(--line)}
article{padding:1.2rem 0 1.6rem;border-bottom:1px solid var(--line)}h3{margin:0 0 .4rem;font-size:1.15rem}h4{margin:1.1rem 0 .3rem;font-size:.9rem;color:var(--soft)}
code{font:.9em/1.4 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}.address{margin:.2rem 0 .6rem}
.method{display:inline-block;min-width:4.2rem;padding:.1rem .5rem;border-radius:.3rem;color:#fff;font-size:.75rem;font-weight:700;text-align:center}
.get{background:#1f6f50}.post{background:#2456c8}.put{background:#8a5a00}.delete{background:#b3261e}
pre{margin:.6rem 0;padding:.7rem .9rem;overflow-x:auto;background:var(--panel);border:1px solid var(--line);border-radius:.4rem;font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
section>.contents{display:none}nav h2 a{color:inherit}
table{width:100%;border-collapse:collapse}td{padding:.35rem .8rem .35rem 0;vertical-align:top;border-top:1px solid var(--line)}td:first-child{white-space:nowrap}.status{font-weight:700}
details{margin:.6rem 0;padding:.5rem .9rem;background:var(--panel);border:1px solid var(--line);border-radius:.4rem}summary{cursor:pointer;font-weight:600}
.tree{margin:.2rem 0;padding-left:1.1rem;list-style:none;border-left:1px solid var(--line)}.tree li{margin:.15rem 0}
.type{color:var(--accent)}.rules,.optional{color:var(--soft);font-size:.85em}em{color:var(--soft);font-size:.8em}
form{display:grid;gap:.6rem;justify-items:start}label{display:grid;gap:.2rem;width:100%}input,select,textarea,button{font:inherit;color:inherit}
input,select,textarea{width:100%;max-width:40rem;padding:.35rem .5rem;background:var(--ground);border:1px solid var(--line);border-radius:.3rem}
textarea{max-width:none;font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}button{padding:.35rem 1.1rem;border:0;border-radius:.3rem;color:#fff;background:#2456c8;cursor:pointer}button:disabled{opacity:.5;cursor:default}button[name=cancel]{background:#5b6475}
output{display:block;width:100%;max-height:30rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}.secrets{margin:1rem 0}
@media(max-width:50rem){body{display:block}main{padding:1.2rem 1rem 4rem}section>h2{margin-top:2rem}
nav{position:static;display:flex;flex-wrap:wrap;align-items:baseline;gap:.2rem 1rem;height:auto;padding:.8rem 1rem;border:0;border-bottom:1px solid var(--line)}
nav .brand{width:100%}nav h2{margin:0;padding:.4rem 0;font-size:.85rem;letter-spacing:0;text-transform:none;color:var(--accent)}nav .contents{display:none}
section>.contents{display:block;margin:.4rem 0 0;padding:0;list-style:none}section>.contents a{display:block;padding:.35rem 0}
.parameters tr,.parameters td{display:block;border:0;padding:0}.parameters tr{padding:.4rem 0;border-top:1px solid var(--line)}
.tree{padding-left:.7rem}details{padding:.5rem .6rem}summary{padding:.2rem 0}}
@media print{nav,.try,.secrets{display:none}body{display:block}}
`
