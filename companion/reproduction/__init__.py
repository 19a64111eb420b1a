"""From units of work to verdicts and a site, in the order in which a run goes through it.

``run``, ``workers``, ``progress``
    compute the units of a study that have no record.
``store``, ``records``, ``codehash``, ``compiled``
    keep the records, and say which code they come from.
``published``, ``errata``, ``deviations``
    what the papers print, what is wrong with it, and why a value differs.
``verdicts``
    compare the print with the records.
``parameters``, ``notebooks``, ``times``
    run the notebooks, and keep how long it takes.
``reproduce``
    all of this for many artefacts, behind the command of this name.
``regenerate``
    the records and verdicts of one artefact: how a notebook begins.
``display``, ``overview``, ``report``
    tables for people, and the static site.
"""
