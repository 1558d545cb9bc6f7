"""The stickers of the catalogue: drawn as vectors, cut out with a pale rim, written as 512 px pictures.

`draw.py` calls `draw`; ids here are those of the site's settings.
The emblems of makers are inventions of this project and must never imitate the game's own marks.
"""

import math
import subprocess
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.ndimage import distance_transform_edt, gaussian_filter

INK = "#141a23"
PALE = "#e7edf4"


def _stars(points, colour=PALE):
    """Four-pointed stars (x, y, size)."""
    out = ""
    for x, y, s in points:
        k = s * 0.2
        out += (f'<path fill="{colour}" d="M{x},{y - s}L{x + k},{y - k}L{x + s},{y}L{x + k},{y + k}'
                f'L{x},{y + s}L{x - k},{y + k}L{x - s},{y}L{x - k},{y - k}Z"/>')
    return out


def _epic(body):
    """The round plate that all epic stickers stand on: night sky inside a violet ring."""
    return (f'<circle cx="256" cy="256" r="214" fill="#7d62e0"/><path d="M105,407A214,214 0 0 0 407,105Z" fill="#6248bd"/>'
            f'<circle cx="256" cy="256" r="190" fill="#b7a2ff"/><circle cx="256" cy="256" r="183" fill="#161a33"/>'
            f'<clipPath id="in"><circle cx="256" cy="256" r="183"/></clipPath>{body}')


def banana():
    """A banana over a ruler."""
    ticks = "".join(f'<rect x="{72 + i * 23}" y="366" width="7" height="{46 if i % 4 == 0 else 26}" fill="{INK}"/>'
                    for i in range(17))
    return f'''
<path d="M48,360H464V436H64L48,420Z" fill="#58d6a4"/><path d="M48,412H464V436H64L48,420Z" fill="#35a57c"/>{ticks}
<path d="M66,178C74,300 176,384 292,362C396,342 452,246 456,146L450,84L404,90L408,146
 C398,208 352,250 288,258C216,266 150,232 116,160C96,142 68,150 66,178Z" fill="#f5c451"/>
<path d="M66,178C74,300 176,384 292,362C396,342 452,246 456,146L454,120C440,222 384,302 288,318C190,332 104,268 74,152
 Q66,162 66,178Z" fill="#d98f22"/>
<path d="M122,176C158,240 220,268 290,258C350,250 396,210 408,150" fill="none" stroke="#ffe7a3" stroke-width="12"
 stroke-linecap="round"/>
<path d="M456,146L450,84Q428,74 404,90L408,146Q430,132 456,146Z" fill="#6b4a22"/>
<path d="M450,84Q428,74 404,90L405,104Q430,92 452,102Z" fill="#3d2a14"/>
<path d="M66,178C66,150 96,142 116,160L124,176Q96,168 69,206Q66,190 66,178Z" fill="#5a3d1c"/>'''


def monkey():
    """A monkey with flying goggles on its brow and nothing good on its mind."""
    return f'''
<circle cx="92" cy="268" r="56" fill="#8a5330"/><circle cx="420" cy="268" r="56" fill="#6d3f23"/>
<circle cx="94" cy="270" r="33" fill="#f0c08f"/><circle cx="418" cy="270" r="33" fill="#d9a373"/>
<path d="M256,62C376,62 424,148 420,252C416,372 346,446 256,446C166,446 96,372 92,252C88,148 136,62 256,62Z" fill="#8a5330"/>
<path d="M256,62C376,62 424,148 420,252C416,372 346,446 256,446Z" fill="#74452a"/>
<path d="M256,244C274,210 338,198 366,238C390,276 370,308 358,322C376,388 318,428 256,428C194,428 136,388 154,322
 C142,308 122,276 146,238C174,198 238,210 256,244Z" fill="#f0c08f"/>
<path d="M256,244C274,210 338,198 366,238C390,276 370,308 358,322C376,388 318,428 256,428Z" fill="#e0ab7b"/>
<ellipse cx="206" cy="272" rx="25" ry="29" fill="{INK}"/><ellipse cx="306" cy="272" rx="25" ry="29" fill="{INK}"/>
<circle cx="215" cy="261" r="9" fill="#fff"/><circle cx="315" cy="261" r="9" fill="#fff"/>
<path d="M236,322Q256,312 276,322Q272,338 256,338Q240,338 236,322Z" fill="#5a3420"/>
<path d="M178,358Q256,414 344,346Q334,404 262,406Q200,406 178,358Z" fill="#5a2019"/>
<path d="M188,362Q256,410 336,352L332,368Q262,414 196,374Z" fill="#fff"/>
<path d="M104,192Q256,110 408,192L402,150Q256,66 110,150Z" fill="{INK}"/>
<path d="M124,170Q124,106 190,104Q252,104 252,164Q252,212 194,214Q128,214 124,170Z" fill="#ffb347"/>
<path d="M388,170Q388,106 322,104Q260,104 260,164Q260,212 318,214Q384,214 388,170Z" fill="#e0912a"/>
<path d="M142,166Q144,122 190,121Q234,122 234,162Q233,196 194,197Q146,197 142,166Z" fill="#1c5560"/>
<path d="M370,166Q368,122 322,121Q278,122 278,162Q279,196 318,197Q366,197 370,166Z" fill="#1c5560"/>
<path d="M144,160Q146,122 190,121L204,122L164,190Q144,184 144,160ZM222,132L190,197Q212,196 224,186L234,166Q236,144 222,132Z"
 fill="#4fd8e8"/>
<path d="M280,158Q282,122 322,121L336,122L298,190Q280,184 280,158ZM354,132L324,197Q346,196 358,184L368,168Q370,146 354,132Z"
 fill="#4fd8e8"/>'''


def pioneer():
    """The first flag on a new world."""
    rays = "".join(f'<path d="M256,316L{256 + 330 * math.cos(a):.1f},{316 + 330 * math.sin(a):.1f}'
                   f'L{256 + 330 * math.cos(a + .13):.1f},{316 + 330 * math.sin(a + .13):.1f}Z" fill="#2c2f5c"/>'
                   for a in [math.pi + k * math.pi / 11 + .06 for k in range(11)])
    return _epic(f'''<g clip-path="url(#in)">{rays}<circle cx="256" cy="330" r="112" fill="#46458a"/>
{_stars([(120, 190, 17), (388, 300, 13), (160, 112, 10)])}
<circle cx="256" cy="560" r="230" fill="#58d6a4"/><path d="M256,330A230,230 0 0 1 486,560H300Q330,420 256,330Z" fill="#35a57c"/>
<ellipse cx="188" cy="398" rx="36" ry="12" fill="#35a57c"/><ellipse cx="322" cy="410" rx="24" ry="8" fill="#258464"/>
<ellipse cx="240" cy="428" rx="18" ry="6" fill="#35a57c"/></g>
<path d="M214,352L226,104Q232,94 240,104L236,352Z" fill="{PALE}"/><path d="M232,98Q240,98 240,104L236,352H226Z" fill="#a9b6c6"/>
<path d="M240,112H404L374,168L404,226H235Z" fill="#ffb347"/><path d="M237,170L374,168L404,226H235Z" fill="#e58f20"/>
{_stars([(302, 168, 38)], "#fff6e6")}''')


def sputnik():
    """The first thing that ever called down from up there."""
    arcs = "".join(f'<path d="M{284 + r * math.cos(-1.30):.1f},{238 + r * math.sin(-1.30):.1f}A{r},{r} 0 0 1 '
                   f'{284 + r * math.cos(-.02):.1f},{238 + r * math.sin(-.02):.1f}" fill="none" stroke="#4fd8e8" '
                   f'stroke-width="14" stroke-linecap="round" opacity="{o}"/>' for r, o in ((104, 1), (134, .6)))
    legs = "".join(f'<path d="M{a},{b}L{c},{d}" stroke="{col}" stroke-width="14" stroke-linecap="round"/>'
                   for a, b, c, d, col in ((230, 224, 88, 262, PALE), (240, 270, 122, 356, PALE),
                                           (266, 300, 198, 424, "#a9b6c6"), (290, 306, 294, 432, "#a9b6c6")))
    return _epic(f'''<g clip-path="url(#in)">{_stars([(150, 150, 16), (236, 100, 9), (392, 366, 14), (118, 306, 8)])}
<path d="M60,500Q256,372 470,480V520H60Z" fill="#24305e"/><path d="M60,520Q256,412 470,506V520H60Z" fill="#37508c"/></g>
{legs}{arcs}<circle cx="284" cy="238" r="80" fill="#c3ced9"/>
<path d="M284,158A80,80 0 1 1 210,268Q300,300 344,186Q320,160 284,158Z" fill="#8796a8"/>
<path d="M354,200A80,80 0 0 1 230,297Q318,310 354,200Z" fill="#5d6c80"/>
<ellipse cx="260" cy="204" rx="27" ry="18" transform="rotate(-38 260 204)" fill="#f7fafc"/>
<path d="M228,295L340,181" stroke="#5d6c80" stroke-width="6"/><circle cx="266" cy="268" r="7" fill="#414e60"/>
<circle cx="310" cy="222" r="7" fill="#414e60"/>''')


def congress():
    """A pass of the fair of 2025 on its ribbon."""
    return f'''
<path d="M120,44H196L272,190H240Z" fill="#4fd8e8"/><path d="M392,44H316L240,190H272Z" fill="#2ba3b4"/>
<path d="M232,150H280V212H232Z" fill="#8e9bab"/><path d="M232,182H280V212H232Z" fill="#5d6c80"/>
<path d="M112,196H366L400,230V470H112Z" fill="#1b2433"/><path d="M112,196H366L400,230V262H112Z" fill="#ffb347"/>
<path d="M366,196L400,230H366Z" fill="#c9791b"/><rect x="216" y="214" width="80" height="18" rx="9" fill="#1b2433"/>
<g fill="none" stroke="{PALE}" stroke-width="30" stroke-linejoin="miter">
<path d="M150,322V310L166,292H218L236,310V334L158,398V412H240"/>
<path d="M362,292H286V340H340L360,360V392L342,412H278"/></g>
<rect x="112" y="444" width="288" height="26" fill="#a58bff"/><rect x="112" y="444" width="96" height="26" fill="#ff6b5e"/>
<rect x="208" y="444" width="96" height="26" fill="#f5c451"/>'''


def rat():
    """A rat that has found something it can take out of a ship."""
    return f'''
<path d="M104,352C30,350 26,448 116,448H330" fill="none" stroke="#e79a9a" stroke-width="24" stroke-linecap="round"/>
<path d="M330,448H392" stroke="#c97676" stroke-width="16" stroke-linecap="round"/>
<circle cx="250" cy="142" r="62" fill="#5f6b7c"/>
<path d="M84,346C76,232 168,152 276,176C352,150 420,196 464,268C470,290 452,304 430,302C400,306 384,330 366,352
 C352,420 300,430 220,430C130,430 88,410 84,346Z" fill="#8290a3"/>
<path d="M84,346C86,410 130,430 220,430C300,430 352,420 366,352C384,330 400,306 430,302C452,304 470,290 464,268
 C440,286 396,282 360,300C330,330 330,380 240,384C150,386 100,360 90,290Q82,316 84,346Z" fill="#667386"/>
<path d="M150,424C128,368 160,312 216,316C268,322 286,376 262,424Z" fill="#74829a"/>
<circle cx="312" cy="136" r="68" fill="#8290a3"/><circle cx="314" cy="138" r="44" fill="#e79a9a"/>
<path d="M346,108A44,44 0 1 1 276,160Q330,160 346,108Z" fill="#cf7f80"/>
<path d="M150,430Q148,408 176,408H250Q262,430 236,434H160Z" fill="#e79a9a"/>
<circle cx="380" cy="226" r="20" fill="{INK}"/><circle cx="387" cy="218" r="7" fill="#fff"/>
<circle cx="462" cy="272" r="20" fill="#ff8f86"/>
<path d="M426,304L424,328H440L444,303Z" fill="#fff"/>
<path d="M398,330L440,316L478,338L484,382L446,404L404,390L388,360Z" fill="#ffb347"/>
<path d="M388,360L404,390L446,404L484,382L480,352Q440,392 388,360Z" fill="#d9831c"/>
<circle cx="437" cy="360" r="19" fill="{INK}"/>
<path d="M336,356Q366,330 406,344Q414,362 396,368Q370,366 350,384Z" fill="#e79a9a"/>
<path d="M418,262L340,254M420,276L344,288" stroke="#e7edf4" stroke-width="6" stroke-linecap="round"/>'''


def poster():
    """A poster that everybody has walked past."""
    return _epic(f'''<g clip-path="url(#in)"><rect x="60" y="60" width="400" height="400" fill="#1c2145"/>
<path d="M60,170H460M60,290H460M60,400H460M160,60V170M340,60V170M250,170V290M160,290V400M340,290V400" stroke="#272d5c"
 stroke-width="9"/></g>
<g transform="rotate(-6 256 262)"><path d="M144,104H368V372L322,420H144Z" fill="#f2ead8"/>
<path d="M368,372H322V420Z" fill="#bfae8a"/><rect x="164" y="126" width="184" height="204" fill="#ff6b5e"/>
<path d="M164,330V266L348,180V330Z" fill="#d94b43"/>
<path d="M182,330Q186,286 224,278H288Q326,286 330,330Z" fill="#1b2433"/>
<path d="M256,148C314,148 330,188 328,224C326,268 296,294 256,294C216,294 186,268 184,224C182,188 198,148 256,148Z" fill="{PALE}"/>
<path d="M256,148C314,148 330,188 328,224C326,268 296,294 256,294Q300,220 256,148Z" fill="#b9c5d2"/>
<path d="M204,206Q256,176 310,206Q320,248 288,264Q256,274 226,264Q192,248 204,206Z" fill="#1b2433"/>
<path d="M212,210Q240,194 262,194L230,262Q196,246 212,210Z" fill="#4fd8e8"/>
<rect x="168" y="348" width="140" height="18" fill="#1b2433"/><rect x="168" y="378" width="92" height="14" fill="#8a7f68"/></g>
<circle cx="240" cy="104" r="25" fill="#ffb347"/><path d="M258,87A25,25 0 1 1 217,114Q250,120 258,87Z" fill="#d9831c"/>
<circle cx="233" cy="96" r="7" fill="#fff3dd"/>''')


def anvil():
    """Emblem of a maker of hard ships: an anvil, and what leaves it."""
    hexa = lambda r: "M" + "L".join(f"{256 + r * math.sin(k * math.pi / 3):.1f},{256 - r * math.cos(k * math.pi / 3):.1f}"
                                    for k in range(6)) + "Z"
    return f'''
<path d="{hexa(222)}" fill="#9fb0c3"/><path d="M256,478L64,367V145L256,256Z" fill="#71839a"/>
<path d="M256,478L448,367V145L256,256Z" fill="#566679"/><path d="{hexa(192)}" fill="#1d2b3d"/>
<path d="M90,352V256H422V352L256,448Z" fill="#162231"/>
<path d="M256,92L312,222L256,196L200,222Z" fill="#ffb347"/><path d="M256,92L312,222L256,196Z" fill="#e08a1e"/>
<path d="M110,254H402Q394,306 318,316V338Q322,358 350,366V396H162V366Q190,358 194,338V324Q126,322 110,254Z" fill="{PALE}"/>
<path d="M110,254H402Q400,268 392,280H120Q114,268 110,254Z" fill="#fff"/>
<path d="M318,316V338Q322,358 350,366V396H256V280H392Q372,310 318,316Z" fill="#a9b8c8"/>
<path d="M256,280H392L402,254H256Z" fill="#d5dee8"/>'''


def aegis():
    """Emblem of a maker of warships: a round shield of bronze and steel, with the one sign it needs."""
    studs = "".join(f'<circle cx="{256 + 196 * math.cos(k * math.tau / 24):.1f}" cy="{256 + 196 * math.sin(k * math.tau / 24):.1f}" '
                    f'r="7" fill="#2b3646"/>' for k in range(24))
    return f'''<circle cx="256" cy="256" r="218" fill="#aebccb"/><path d="M102,410A218,218 0 0 0 410,102Z" fill="#8090a3"/>{studs}
<circle cx="256" cy="256" r="177" fill="#ffb347"/><path d="M131,381A177,177 0 0 0 381,131Z" fill="#d9831c"/>
<circle cx="256" cy="256" r="160" fill="#1d2536"/><path d="M143,369A160,160 0 0 0 369,143Z" fill="#161d2b"/>
<path d="M256,116L372,376H302L256,264L210,376H140Z" fill="#ff6b5e"/><path d="M256,116L372,376H302L256,264Z" fill="#cf4a40"/>'''


def contract():
    """A contract with its seal."""
    lines = "".join(f'<rect x="150" y="{168 + i * 36}" width="{w}" height="14" fill="#8e9bab"/>'
                    for i, w in enumerate((210, 180, 210, 120)))
    return f'''
<path d="M112,60H346L404,118V452H112Z" fill="#f2ead8"/><path d="M112,412L404,300V452H112Z" fill="#dccfb0"/>
<path d="M346,60L404,118H346Z" fill="#bfae8a"/><rect x="150" y="112" width="120" height="24" fill="#1b2433"/>{lines}
<path d="M150,398Q176,356 196,386T236,384T282,372" fill="none" stroke="#1b2433" stroke-width="9" stroke-linecap="round"/>
<path d="M316,404L298,480L340,460L364,490L382,412Z" fill="#cf4a40"/><path d="M348,410L364,490L382,412Z" fill="#a8362e"/>
<path d="M346,288L370,300L396,296L408,320L432,332L430,358L444,380L426,400L424,426L398,432L378,448L352,438L326,442L312,420
L290,408L294,382L284,358L302,338L308,312L334,310Z" fill="#ff6b5e"/>
<path d="M444,380L426,400L424,426L398,432L378,448L352,438L326,442L312,420L290,408Q390,420 432,332L430,358Z" fill="#d94b43"/>
<circle cx="364" cy="368" r="50" fill="#d94b43"/><circle cx="364" cy="368" r="40" fill="#ff6b5e"/>
<path d="M340,368L358,388L392,350" fill="none" stroke="#fff3dd" stroke-width="14" stroke-linecap="round"
 stroke-linejoin="round"/>'''


def centurion():
    """The helmet of one who has led a hundred."""
    return '''
<path d="M72,214C66,112 150,44 262,44C372,44 452,112 450,214L398,204C392,148 334,112 262,112C190,112 132,148 124,206Z"
 fill="#ff6b5e"/><path d="M262,44C372,44 452,112 450,214L398,204C392,148 334,112 262,112Z" fill="#d94b43"/>
<path d="M110,92L150,132M168,58L190,112M236,46L242,104M304,48L296,106M366,68L344,118M418,112L380,146M82,146L128,174
M444,170L398,182" stroke="#b53830" stroke-width="9" stroke-linecap="round"/>
<path d="M120,262C112,170 176,104 262,104C348,104 410,170 402,262Z" fill="#a9b8c8"/>
<path d="M262,104C348,104 410,170 402,262H262Z" fill="#7f91a6"/>
<path d="M176,196C186,158 214,136 250,132" fill="none" stroke="#fff" stroke-width="14" stroke-linecap="round"/>
<path d="M88,254H434L414,300H108Z" fill="#f5c451"/><path d="M262,254H434L414,300H262Z" fill="#d98f22"/>
<path d="M122,300H224L214,346L236,380V470C182,456 130,404 122,300Z" fill="#a9b8c8"/>
<path d="M400,300H298L308,346L286,380V470C340,456 392,404 400,300Z" fill="#7f91a6"/>
<path d="M224,300H298L308,346L286,380V430H236V380L214,346Z" fill="#141a23"/>
<path d="M122,300H224L222,310H123Z" fill="#d5dee8"/><path d="M250,254H272V352L261,368L250,352Z" fill="#f5c451"/>
<path d="M261,254H272V352L261,368Z" fill="#d98f22"/>
<circle cx="168" cy="352" r="11" fill="#f5c451"/><circle cx="354" cy="352" r="11" fill="#d98f22"/>'''


def masters():
    """Five pennants in one hand."""
    colours = (("#ff6b5e", "#cf4a40"), ("#f5c451", "#d98f22"), ("#58d6a4", "#35a57c"), ("#4fc3f7", "#2a93c4"),
               ("#a58bff", "#7d62e0"))
    flags = "".join(f'<g transform="rotate({angle} 256 452)"><path d="M250,470V140H262V470Z" fill="#6b4a22"/>'
                    f'<path d="M262,146L338,180L262,220Z" fill="{light}"/><path d="M262,183L338,180L262,220Z" fill="{dark}"/>'
                    f'<circle cx="256" cy="134" r="15" fill="#f2ead8"/></g>'
                    for angle, (light, dark) in zip((-40, -21, -2, 17, 36), colours))
    return f'''{flags}
<path d="M176,416H330Q350,416 350,438V492H162V438Q162,416 176,416Z" fill="#46566b"/>
<path d="M256,416H330Q350,416 350,438V492H256Z" fill="#35435a"/>
<path d="M170,380Q170,362 190,362H322Q342,362 342,380V404Q342,428 318,428H194Q170,428 170,404Z" fill="#f0c08f"/>
<path d="M212,362V426M256,362V426M300,362V426" stroke="#c98f5f" stroke-width="7" stroke-linecap="round"/>
<path d="M170,392Q256,450 342,392V404Q342,428 318,428H194Q170,428 170,404Z" fill="#e0ab7b"/>'''


def hangar():
    """A hangar without room for one more."""
    ship = ('M0,-40L10,-6L40,18V30L10,22L6,34H-6L-10,22L-40,30V18L-10,-6Z', 'M0,-40L10,-6L40,18V30L10,22L6,34H0Z')
    places = ((256, 192, 1.0), (190, 268, 1.0), (322, 268, 1.0), (146, 352, 1.08), (256, 352, 1.08), (366, 352, 1.08))
    colours = (("#e7edf4", "#a9b8c8"), ("#ffb347", "#d9831c"), ("#4fc3f7", "#2a93c4"), ("#58d6a4", "#35a57c"),
               ("#ff6b5e", "#cf4a40"), ("#a58bff", "#7d62e0"))
    ships = "".join(f'<g transform="translate({x} {y}) scale({s})"><path d="{ship[0]}" fill="{light}"/>'
                    f'<path d="{ship[1]}" fill="{dark}"/></g>' for (x, y, s), (light, dark) in zip(places, colours))
    lamps = "".join(f'<rect x="{96 + i * 60}" y="436" width="34" height="12" fill="#ffb347"/>' for i in range(6))
    return f'''
<path d="M40,470V250C40,130 136,44 256,44S472,130 472,250V470Z" fill="#71839a"/>
<path d="M256,44C376,44 472,130 472,250V470H256Z" fill="#566679"/>
<path d="M76,424V254C76,150 156,82 256,82S436,150 436,254V424Z" fill="#1d2b3d"/>
<path d="M76,424V380H436V424Z" fill="#162231"/>
<path d="M128,108L256,240L384,108Q330,82 256,82T128,108Z" fill="#2b405a"/>
{ships}<path d="M40,424H472V470H40Z" fill="#1b2433"/>{lamps}'''


def blueprint():
    """A blueprint, half unrolled, and the pencil."""
    grid = "".join(f'<path d="M{110 + i * 48},118V402M86,{142 + i * 48}H430" stroke="#3f6fc0" stroke-width="4"/>' for i in range(6))
    return f'''
<path d="M72,108H440V412H72Z" fill="#2c559f"/><path d="M72,412L440,250V412Z" fill="#244885"/>{grid}
<g fill="none" stroke="#e7edf4" stroke-width="11" stroke-linejoin="round">
<path d="M256,142L280,226L372,296V330L280,312L268,372H244L232,312L140,330V296L232,226Z"/><path d="M256,196V262"/>
<circle cx="256" cy="292" r="18"/></g>
<path d="M116,372V392H396V372" fill="none" stroke="#4fd8e8" stroke-width="8"/>
<rect x="48" y="84" width="416" height="44" rx="22" fill="#6d93d6"/><path d="M48,106H464Q464,128 442,128H70Q48,128 48,106Z" fill="#4a74bd"/>
<circle cx="442" cy="106" r="11" fill="#1d3a6e"/>
<g transform="rotate(38 390 380)"><path d="M372,250H408V420H372Z" fill="#f5c451"/><path d="M390,250H408V420H390Z" fill="#d98f22"/>
<path d="M372,232H408V256H372Z" fill="#ff8f86"/><path d="M372,420H408L390,470Z" fill="#f2ead8"/>
<path d="M383,450H397L390,470Z" fill="#141a23"/></g>'''


def life():
    """An hourglass whose sand is a life."""
    return _epic(f'''<g clip-path="url(#in)">{_stars([(126, 206, 15), (392, 184, 12), (384, 342, 16), (134, 344, 9)])}</g>
<path d="M166,112H346V146H166Z" fill="#ffb347"/><path d="M256,112H346V146H256Z" fill="#d9831c"/>
<path d="M166,366H346V400H166Z" fill="#ffb347"/><path d="M256,366H346V400H256Z" fill="#d9831c"/>
<path d="M184,146H328C328,208 296,228 276,256C296,284 328,304 328,366H184C184,304 216,284 236,256C216,228 184,208 184,146Z"
 fill="#3a4b6e"/>
<path d="M256,244C226,220 202,204 202,178C202,158 216,150 230,150C244,150 252,158 256,168C260,158 268,150 282,150
C296,150 310,158 310,178C310,204 286,220 256,244Z" fill="#ff6b5e"/>
<path d="M256,244C286,220 310,204 310,178C310,158 296,150 282,150C268,150 260,158 256,168Z" fill="#d94b43"/>
<ellipse cx="226" cy="174" rx="11" ry="8" transform="rotate(-30 226 174)" fill="#ffc9c3"/>
<path d="M252,244H260V340H252Z" fill="#ff8f86"/><path d="M196,366Q210,326 256,322Q302,326 316,366Z" fill="#ff6b5e"/>
<path d="M256,322Q302,326 316,366H256Z" fill="#d94b43"/>
<path d="M198,156Q200,200 226,226" fill="none" stroke="#8fa6cf" stroke-width="9" stroke-linecap="round"/>''')


def crash():
    """One that has been through it for science."""
    return '''
<path d="M190,372H322V430Q322,470 256,470T190,430Z" fill="#b87318"/>
<path d="M150,452Q256,396 362,452L390,496H122Z" fill="#46566b"/><path d="M256,424Q314,424 362,452L390,496H256Z" fill="#35435a"/>
<path d="M256,40C366,40 410,122 402,228C396,330 336,402 256,402S116,330 110,228C102,122 146,40 256,40Z" fill="#f5c451"/>
<path d="M256,40C366,40 410,122 402,228C396,330 336,402 256,402Z" fill="#d9a030"/>
<circle cx="256" cy="136" r="66" fill="#f2ead8"/><path d="M256,136V70A66,66 0 0 1 322,136Z" fill="#141a23"/>
<path d="M256,136V202A66,66 0 0 1 190,136Z" fill="#141a23"/>
<path d="M178,232L222,268M222,232L178,268" stroke="#141a23" stroke-width="16" stroke-linecap="round"/>
<circle cx="312" cy="250" r="26" fill="#141a23"/><circle cx="320" cy="242" r="9" fill="#fff"/>
<path d="M194,340Q226,310 256,330T322,318" fill="none" stroke="#6b4a22" stroke-width="15" stroke-linecap="round"/>
<g transform="rotate(-32 358 96)"><rect x="298" y="76" width="128" height="42" rx="20" fill="#f2ead8"/>
<rect x="340" y="76" width="44" height="42" fill="#dccfb0"/><circle cx="352" cy="88" r="4" fill="#8a7f68"/>
<circle cx="372" cy="88" r="4" fill="#8a7f68"/><circle cx="352" cy="106" r="4" fill="#8a7f68"/>
<circle cx="372" cy="106" r="4" fill="#8a7f68"/></g>
<path d="M122,196L142,214L130,236L150,256" fill="none" stroke="#b87318" stroke-width="8" stroke-linecap="round"
 stroke-linejoin="round"/>'''


STICKERS = {
    "683583": banana, "775678": monkey, "412907": pioneer, "196404": sputnik, "202510": congress,
    "538261": rat, "947135": poster, "310846": anvil, "864219": aegis, "340671": contract, "518204": centurion,
    "627350": masters, "450918": hangar, "736412": blueprint, "289056": life, "901537": crash,
}


def _render(svg, size):
    """An SVG text as an RGBA array of `size` pixels square."""
    png = subprocess.run(["rsvg-convert", "-w", str(size), "-h", str(size)], input=svg.encode(), capture_output=True,
                         check=True).stdout
    import io
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"), float) / 255.0


def cut_out(svg, size=512):
    """Lays a pale rim and a soft shadow around a drawing, as if cut from a sheet of stickers."""
    big = size * 2
    art = _render(svg, big)
    far = distance_transform_edt(art[..., 3] < 0.5)
    rim = np.clip((14.0 * big / 512 - far) + 0.5, 0, 1)
    shadow = 0.55 * np.roll(gaussian_filter(rim, 5 * big / 512), int(4 * big / 512), axis=0)
    out = np.zeros((big, big, 4))
    a = art[..., 3:]
    solid = np.array([0.945, 0.957, 0.969])[None, None] * (1 - a) + art[..., :3] * a
    alpha = rim + shadow * (1 - rim)
    out[..., :3] = solid * rim[..., None] / np.maximum(alpha, 1e-6)[..., None]
    out[..., 3] = alpha
    out[..., :3] *= out[..., 3:]
    out = out.reshape(size, 2, size, 2, 4).mean(axis=(1, 3))
    out[..., :3] /= np.maximum(out[..., 3:], 1e-6)
    return Image.fromarray((np.clip(out, 0, 1) * 255 + 0.5).astype(np.uint8), "RGBA")


def draw(out):
    """Writes `stickers/{id}.png` under `out`, 512 px square with a palette of 256 colours."""
    folder = Path(out) / "stickers"
    folder.mkdir(parents=True, exist_ok=True)
    for number, scene in STICKERS.items():
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">{scene()}</svg>'
        image = cut_out(svg).quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        image.save(folder / f"{number}.png", optimize=True)
