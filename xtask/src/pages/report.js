    const entries = [...document.querySelectorAll("nav a")];
    const sections = [...document.querySelectorAll("main section")];
    expect("the list has all sections", entries.length === sections.length && entries.length >= 13);
    expect("in order", entries.every((entry, at) => entry.hash === `#${sections[at].id}`));
    expect("nothing is wider than the page", document.documentElement.scrollWidth <= innerWidth);

    press("/");
    expect("/ goes to the field", document.activeElement === find);
    type(find, "gpioa");
    const shown = rows.filter((row) => !row.hidden);
    expect("only rows with the text are shown", shown.length > 0 && shown.length < rows.length);
    expect("their number is said", found.textContent === `${shown.length} of ${rows.length} rows`);
    find.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect("Escape shows all again", rows.every((row) => !row.hidden));

    const table = document.querySelector("#costs table");
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    const head = heads.indexOf("own cycles");
    const button = table.tHead.rows[0].cells[head].querySelector("button");
    // Output has no cycles.
    const figures = () =>
      [...table.tBodies[0].rows]
        .map((row) => row.cells[head].textContent)
        .map((text) => (text ? Number(text.replace(/ /g, "")) : null));
    const isSorted = (list, sign) => {
      const numbers = list.filter((one) => one !== null);
      const isLast = list.slice(0, numbers.length).every((one) => one !== null);
      return isLast && numbers.every((one, at) => at === 0 || sign * (one - numbers[at - 1]) >= 0);
    };
    button.click();
    expect("a head sorts, the largest first", isSorted(figures(), -1));
    button.click();
    expect("and the other way round", isSorted(figures(), 1));

    const timeline = document.querySelector("#timeline iframe").contentDocument;
    expect("the timeline is drawn", isDrawn(timeline.getElementById("view")));
    type(timeline.getElementById("search"), "measures");
    expect("it can be searched", /^\d+ found$/.test(timeline.getElementById("hits").textContent));

    const flame = document.querySelector("#profile iframe").contentDocument;
    const boxes = [...flame.querySelectorAll("#frames > g")];
    const width = (box) => Number.parseFloat(box.querySelector("rect").getAttribute("width"));
    const box = boxes.find((one) => width(one) < 50 && width(one) > 5);
    const before = width(box);
    box.querySelector("rect").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect("a box of the flame graph is enlarged", width(box) > 2 * before);
    type(flame.getElementById("wanted"), "measures");
    const matched = flame.getElementById("matched").textContent;
    expect("functions are found in it", /^Matched: \d/.test(matched));
    expect("the picture is whole again", Math.abs(width(box) - before) < 0.01);
    type(flame.getElementById("wanted"), "(((");
    const none = flame.getElementById("none");
    expect("signs of regular expressions are letters", !none.hidden);
    type(flame.getElementById("wanted"), "");
    expect("an empty field asks for nothing", none.hidden);
