    const rows = document.querySelectorAll("table tr").length;
    expect("the files are listed", rows > 3);
    const links = [...document.querySelectorAll("a[href^='#']")];
    const leads = (link) => document.getElementById(link.hash.slice(1)) !== null;
    expect("each file has its source", links.length === rows - 2 && links.every(leads));
    for (const kind of ["hit", "miss"]) {
      const line = document.querySelector(`.${kind}`);
      expect(`a line is ${kind}`, line !== null);
      expect(`and has a colour`, getComputedStyle(line).backgroundColor !== "rgba(0, 0, 0, 0)");
    }
    const file = document.querySelector("details");
    file.querySelector("summary").click();
    expect("a file folds", !file.open);
