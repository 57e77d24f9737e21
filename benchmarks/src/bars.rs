//! Bar charts as SVG, to be read on a light ground and on a dark one.
//!
//! The ground is transparent, and all colours are of middle brightness: a page decides by itself whether it is dark,
//! and does not tell an image that it shows.

use std::error::Error;
use std::fmt::Write as _;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// What a bar is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Defiant.
    Defiant,
    /// What everything is measured by.
    Yardstick,
    /// Another library.
    Other,
}

impl Ink {
    const fn color(self) -> RGBColor {
        match self {
            Ink::Defiant => RGBColor(0xd9, 0x6b, 0x0c),
            Ink::Yardstick => RGBColor(0x80, 0x80, 0x80),
            Ink::Other => RGBColor(0x3b, 0x82, 0xc4),
        }
    }
}

const TEXT: RGBColor = RGBColor(0x7a, 0x7a, 0x7a);

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Whose it is, for those who do not see it; nothing where the label says so.
    pub name: String,
    /// Its length; `None` leaves only the label.
    pub value: Option<f64>,
    /// What stands at its end.
    pub label: String,
    /// Its colour.
    pub ink: Ink,
}

/// Bars that belong together, one below the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What stands to the left of them.
    pub name: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// Groups on one axis that begins at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What is above it.
    pub title: String,
    /// The groups, from above to below; those of all panels of a chart have the same names.
    pub groups: Vec<Group>,
    /// Where a line goes through all of them.
    pub line: Option<f64>,
}

/// Panels side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The name of its file, without `.svg`.
    pub name: String,
    /// What it shows, in a line.
    pub title: String,
    /// What there is to know of it: the text beside it.
    pub note: String,
    /// What the colours mean.
    pub legend: Vec<(String, Ink)>,
    /// The panels.
    pub panels: Vec<Panel>,
}

const WIDTH: u32 = 880;
const BAR: i32 = 15;
const BETWEEN_GROUPS: i32 = 9;
/// Above the panels: the title and the legend; above the bars: the panel's title; below them: the axis.
const HEAD: i32 = 52;
const PANEL_HEAD: i32 = 24;
const AXIS: i32 = 28;
/// About the width of a letter, in pixels.
const LETTER: f64 = 7.4;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Chart {
    /// The chart in a line of Markdown, as seen from beside the folder `charts`.
    pub fn image(&self) -> String {
        format!("![{}](charts/{}.svg)", self.title, self.name)
    }

    /// The values in words.
    fn description(&self) -> String {
        let mut text = String::new();
        for panel in &self.panels {
            let _ = write!(text, "{}. ", panel.title);
            for group in &panel.groups {
                let words = |bar: &Bar| format!("{} {}", bar.name, bar.label).trim_start().to_owned();
                let bars: Vec<String> = group.bars.iter().map(words).collect();
                // Who is alone in a group has the group's name.
                match group.bars.as_slice() {
                    [bar] if bar.name == group.name => {}
                    _ => text.extend([group.name.as_str(), ": "]),
                }
                let _ = write!(text, "{}. ", bars.join(", "));
            }
        }
        text.trim_end().to_owned()
    }

    /// The chart as SVG: the same bytes for the same values.
    ///
    /// # Errors
    ///
    /// What the drawing crate says; there is no file that it could fail to write.
    pub fn svg(&self) -> Result<String, Box<dyn Error>> {
        let height = self.panels.iter().map(Panel::height).max().unwrap_or_default() + HEAD + PANEL_HEAD + AXIS;
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (WIDTH, height.unsigned_abs())).into_drawing_area();
            self.draw(&root)?;
            root.present()?;
        }
        let (head, rest) = svg.split_once('>').ok_or("an SVG without a root")?;
        Ok(format!(
            "{head} role=\"img\">\n<title>{}</title>\n<desc>{}</desc>{}\n",
            escaped(&self.title),
            escaped(&self.description()),
            rest.trim_end()
        ))
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), Box<dyn Error>> {
        root.draw(&Text::new(self.title.clone(), (4, 12), text(root, 19, HPos::Left)))?;
        let mut x = 4;
        for (name, ink) in &self.legend {
            root.draw(&Rectangle::new([(x, 30), (x + 11, 41)], ink.color().filled()))?;
            root.draw(&Text::new(name.clone(), (x + 16, 36), text(root, 15, HPos::Left)))?;
            x += 34 + (name.chars().count() as f64 * LETTER) as i32;
        }
        let names = self.panels.iter().flat_map(|panel| &panel.groups).map(|group| group.name.chars().count());
        let names = (names.max().unwrap_or_default() as f64 * LETTER) as i32 + 8;
        let width = (WIDTH as i32 - names) / self.panels.len().max(1) as i32;
        for (index, panel) in self.panels.iter().enumerate() {
            let left = names + index as i32 * width;
            panel.draw(root, left, width - 12)?;
            if index == 0 {
                panel.draw_names(root, left - 8)?;
            }
        }
        Ok(())
    }
}

impl Panel {
    fn height(&self) -> i32 {
        self.groups.iter().map(Group::height).sum()
    }

    /// Each group with the place of its upper end.
    fn places(&self) -> impl Iterator<Item = (i32, &Group)> {
        self.groups.iter().scan(0, |top, group| {
            let place = *top;
            *top += group.height();
            Some((place, group))
        })
    }

    fn draw_names(&self, root: &Area<'_>, right: i32) -> Result<(), Box<dyn Error>> {
        for (top, group) in self.places() {
            let middle = HEAD + PANEL_HEAD + top + group.height() / 2;
            root.draw(&Text::new(group.name.clone(), (right, middle), text(root, 15, HPos::Right)))?;
        }
        Ok(())
    }

    /// The end of the axis: where the longest bar and its label have room.
    fn end(&self, width: i32) -> f64 {
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        let needed = bars.map(|bar| {
            let label = bar.label.chars().count() as f64 * LETTER + 8.0;
            bar.value.unwrap_or_default() / (1.0 - label / f64::from(width)).max(0.1)
        });
        let end = needed.chain(self.line).fold(0.0, f64::max);
        if end > 0.0 { end } else { 1.0 }
    }

    fn draw(&self, root: &Area<'_>, left: i32, width: i32) -> Result<(), Box<dyn Error>> {
        root.draw(&Text::new(self.title.clone(), (left, HEAD + 10), text(root, 15, HPos::Left)))?;
        let (height, end) = (self.height(), self.end(width));
        let area = root.clone().shrink((left, HEAD + PANEL_HEAD), (width, height + AXIS));
        let mut chart = ChartBuilder::on(&area)
            .set_label_area_size(LabelAreaPosition::Bottom, AXIS)
            .build_cartesian_2d(0.0..end, f64::from(height)..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .max_light_lines(0)
            .x_labels((width / 60).unsigned_abs() as usize)
            .x_label_formatter(&|value| format!("{}", (value * 1e3).round() / 1e3))
            .label_style(text(root, 15, HPos::Center))
            .axis_style(TEXT.mix(0.5))
            .bold_line_style(TEXT.mix(0.25))
            .draw()?;
        for (top, group) in self.places() {
            for (index, bar) in group.bars.iter().enumerate() {
                let top = f64::from(top + BETWEEN_GROUPS / 2 + index as i32 * BAR);
                let bottom = top + f64::from(BAR - 2);
                let value = bar.value.unwrap_or_default();
                if bar.value.is_some() {
                    let corners = [(0.0, top), (value, bottom)];
                    chart.draw_series([Rectangle::new(corners, bar.ink.color().filled())])?;
                }
                let label = EmptyElement::at((value, f64::midpoint(top, bottom)))
                    + Text::new(bar.label.clone(), (5, 0), text(root, 15, HPos::Left));
                chart.draw_series([label])?;
            }
        }
        if let Some(line) = self.line {
            chart.draw_series([PathElement::new([(line, 0.0), (line, f64::from(height))], TEXT)])?;
        }
        Ok(())
    }
}

impl Group {
    fn height(&self) -> i32 {
        self.bars.len() as i32 * BAR + BETWEEN_GROUPS
    }
}

fn text<'a>(root: &Area<'_>, size: i32, horizontal: HPos) -> TextStyle<'a> {
    ("sans-serif", size).into_text_style(root).color(&TEXT).pos(Pos::new(horizontal, VPos::Center))
}

/// Text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
