// Uses the page that it stands in, once it is there and has drawn itself.
addEventListener("load", () => setTimeout(() => {
  const wrong = [];
  let claims = 0;
  const expect = (claim, holds) => {
    claims += 1;
    if (!holds) wrong.push(claim);
  };
  const press = (key, options = {}) =>
    dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...options }));
  const type = (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  // Whether a canvas, or an image, shows more than one colour.
  const isDrawn = (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const words = new Uint32Array(data.buffer);
    return words.some((word) => word !== words[0]);
  };
  try {
/* the page's own */
  } catch (error) {
    wrong.push(String(error));
  }
  const verdict = [claims, ...wrong].join("|").replace(/"/g, "'");
  document.documentElement.setAttribute("data-verdict", verdict);
}, 300));
