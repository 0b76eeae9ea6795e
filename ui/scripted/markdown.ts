// Answers with everything in them that Markdown has, and with what a hostile model may write.

export const showcase = `# Fitting a line

The model is $y = a x + b$; we want the $a$ and $b$ for which the **sum of squared residuals** is *least*:

$$
\\min_{a,\\,b} \\sum_{i=1}^{n} \\left( y_i - a x_i - b \\right)^2
$$

Setting both derivatives to zero gives \\(\\hat a = \\frac{\\operatorname{cov}(x, y)}{\\operatorname{var}(x)}\\) and $\\hat b = \\bar y - \\hat a\\,\\bar x$. With three points that costs $5 of paper, not $10.

## In three steps

1. Compute both means.
2. Compute the slope:
   \`\`\`python
   def slope(xs: list[float], ys: list[float]) -> float:
       """Least squares, without weights."""
       mx, my = sum(xs) / len(xs), sum(ys) / len(ys)  # the means
       return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
   \`\`\`
3. Take the intercept from the means.
   - It goes through the middle of the points,
   - whatever the slope is.

### The same in Rust

\`\`\`rust
/// The slope of the line through \`points\`; \`None\` if all x are equal.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let spread: f64 = points.iter().map(|(x, _)| (x - mx).powi(2)).sum();
    if spread == 0.0 {
        return None; // a vertical line has no slope
    }
    Some(points.iter().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / spread)
}
\`\`\`

| Method | Robust | Cost | When |
|:--|:-:|--:|:--|
| Least squares | no | $O(n)$ | few outliers |
| Theil–Sen | **yes** | $O(n^2)$ | up to a third of the points are wrong, and you would rather not say which |
| RANSAC | yes | varies | see \`ransac.py\` |

> A model should be as simple as possible,
> but no simpler.

---

More at https://en.wikipedia.org/wiki/Linear_regression, or [the chapter by Hastie](https://hastie.su.domains/ElemStatLearn/).
Then run it:

\`\`\`sh
cargo run --release -- points.csv | head -n 3   # prints a, b and the residual
\`\`\`

\`\`\`diff
- return cov / var
+ return None if var == 0 else cov / var
\`\`\`

\\[
\\begin{aligned}
\\hat\\beta &= (X^\\top X)^{-1} X^\\top y \\\\
\\operatorname{Var}(\\hat\\beta) &= \\sigma^2 (X^\\top X)^{-1}, \\qquad A = \\begin{pmatrix} 1 & x_1 \\\\ \\vdots & \\vdots \\\\ 1 & x_n \\end{pmatrix}
\\end{aligned}
\\]
`;

export const hostile = `<script>alert(1)</script> <img src=x onerror=alert(1)> <style>*{display:none}</style>

![a cat](https://evil.example/track.gif) ![](data:image/png;base64,AAAA)

[click](javascript:alert(1)) [me](data:text/html,x) [or](file:///etc/passwd) [relative](secret.html) [fine](https://example.com/a?b=c) <https://example.org>

\u202Egnp.exe\u202C and \u2066hidden\u2069 and \u001B[31mred\u0000 and \u{E0048}\u{E0049}

Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030A\u030B\u030C\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030A\u030B\u030C\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030A\u030B\u030Calgo

${'long'.repeat(60)}

| ${Array.from({ length: 24 }, (_, at) => `column ${at}`).join(' | ')} |
|${'--|'.repeat(24)}
| ${Array.from({ length: 24 }, (_, at) => `cell ${at}`).join(' | ')} |

${'> '.repeat(12)}deep

$\\href{javascript:alert(1)}{x} + \\color{red}{y} \\rule{900em}{900em}$ and $\\notacommand{x}$

\`\`\`${'html onclick=alert(1)'}
${'<b>'.repeat(200)}
`;
