    const pictures = [...document.querySelectorAll("#charts img")];
    expect("the state machine is drawn", pictures.length === 1 && pictures[0].naturalWidth > 100);
    expect("and said in words", pictures[0].alt.includes("->") || pictures[0].alt.length > 200);
    expect("the other image is compared", document.querySelectorAll("#against table").length >= 5);
    expect("nothing is wider than the page", document.documentElement.scrollWidth <= innerWidth);
