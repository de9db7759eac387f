#include "ridgerunner/report/page.h"

#include <fmt/format.h>

namespace ridgerunner {
namespace {

constexpr const char* page_style = R"(<style>
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2328;--quiet:#57606a;--rule:#d9dde3;--tint:#f5f6f8;--accent:#0072b2}
@media screen and (prefers-color-scheme:dark){
:root{--paper:#14171c;--ink:#e6e8eb;--quiet:#a3abb6;--rule:#343a44;--tint:#1c2027;--accent:#4ba3e3}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}
main{max-width:51rem;margin:0 auto;padding:2.5rem 1.25rem 3rem}
h1{font-size:1.9rem;line-height:1.2;letter-spacing:-.01em;margin:0}
h2{font-size:1.25rem;line-height:1.3;margin:2.75rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--rule)}
p{max-width:42rem;margin:.75rem 0}
header p,footer,figcaption,caption,dt{color:var(--quiet)}
header p{font-size:1.1rem;margin:.4rem 0 0}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:1.25rem 0 0;padding:0;font-size:.95rem}
a{color:var(--accent);text-underline-offset:.15em}
figure{margin:1.5rem -12px}
figcaption{max-width:42rem;margin:.5rem 12px 0;font-size:.9rem}
.scroll{overflow-x:auto}
.rr-figure{display:block;width:100%;min-width:var(--least);height:auto}
table{border-collapse:collapse;font-size:.95rem;font-variant-numeric:tabular-nums;margin:1.25rem 0;
border-top:2px solid var(--ink);border-bottom:2px solid var(--ink)}
caption{text-align:left;font-size:.9rem;padding-bottom:.5rem}
th,td{padding:.4rem 1.25rem .4rem 0;text-align:left;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
thead th{border-bottom:1px solid var(--ink);font-weight:600}
tbody tr+tr td{border-top:1px solid var(--rule)}
td strong{color:var(--accent)}
pre{background:var(--tint);border-radius:6px;padding:.9rem 1.1rem;overflow-x:auto;margin:1rem 0;
font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.5rem;margin:1rem 0}
dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--rule);font-size:.875rem}
@media (max-width:36rem){main{padding-top:1.5rem}h1{font-size:1.5rem}dl{grid-template-columns:1fr;gap:0}
dd{margin-bottom:.6rem}}
@media print{:root{color-scheme:light}body{font-size:10.5pt}main{max-width:none;padding:0}nav{display:none}
.rr-figure{min-width:0;max-width:42rem}figure{margin:1rem 0}figcaption{margin-left:0}.scroll,pre{overflow:visible}pre{white-space:pre-wrap}
h2{break-after:avoid}figure,tr,pre{break-inside:avoid}}
</style>
)";

struct BlockWriter {
  std::string& out;

  void operator()(const Paragraph& paragraph) const {
    out += fmt::format("<p>{}</p>\n", escape_markup(paragraph.text));
  }
  void operator()(const PageFigure& block) const {
    // Shrinks with the window until its text would be too small to read, then scrolls.
    out += fmt::format("<figure style=\"max-width:{}px;--least:{}px\">\n<div class=\"scroll\">\n",
                       block.width, block.width * 3 / 4);
    out += to_svg(block.figure, block.width, block.height) + "</div>\n";
    if (!block.caption.empty()) {
      out += fmt::format("<figcaption>{}</figcaption>\n", escape_markup(block.caption));
    }
    out += "</figure>\n";
  }
  void operator()(const Table& table) const {
    out += "<div class=\"scroll\">\n" + to_html(table) + "</div>\n";
  }
  void operator()(const Preformatted& block) const {
    out += fmt::format("<pre>{}</pre>\n", escape_markup(block.text));
  }
  void operator()(const KeyValues& facts) const {
    out += "<dl>\n";
    for (const auto& [name, value] : facts.entries) {
      out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_markup(name), escape_markup(value));
    }
    out += "</dl>\n";
  }
};

// Links to the sections, where there are enough to get lost in.
std::string contents(const Page& page) {
  if (page.sections.size() < 4) return "";
  std::string out = "<nav aria-label=\"Contents\"><ul>\n";
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    if (page.sections[i].heading.empty()) continue;
    out += fmt::format("<li><a href=\"#section-{}\">{}</a></li>\n", i + 1,
                       escape_markup(page.sections[i].heading));
  }
  return out + "</ul></nav>\n";
}

std::string section_html(const Section& section, std::size_t index) {
  std::string out = fmt::format("<section id=\"section-{}\">\n", index + 1);
  if (!section.heading.empty()) out += fmt::format("<h2>{}</h2>\n", escape_markup(section.heading));
  for (const Block& block : section.blocks) std::visit(BlockWriter{out}, block);
  return out + "</section>\n";
}

}  // namespace

std::string to_html(const Page& page) {
  const std::string title = escape_markup(page.title);
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += fmt::format("<title>{}</title>\n{}</head>\n<body>\n<main>\n<header>\n<h1>{}</h1>\n", title,
                     page_style, title);
  if (!page.subtitle.empty()) out += fmt::format("<p>{}</p>\n", escape_markup(page.subtitle));
  out += contents(page) + "</header>\n";
  for (std::size_t i = 0; i < page.sections.size(); ++i) out += section_html(page.sections[i], i);
  if (!page.footer.empty()) out += fmt::format("<footer>{}</footer>\n", escape_markup(page.footer));
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace ridgerunner
