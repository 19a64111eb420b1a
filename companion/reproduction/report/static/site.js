/* Boxes that scroll sideways can be reached, and then scrolled, with the keyboard. */
(function () {
  "use strict";

  function mark() {
    document.querySelectorAll(".table-scroll, .math-scroll, div.cell_output pre, div.highlight pre")
      .forEach((box) => {
        if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
        else box.removeAttribute("tabindex");
      });
  }

  document.addEventListener("DOMContentLoaded", mark);
  window.addEventListener("resize", mark);
})();
